import { MessagePage } from "@/components/message-page";

/** What stands at an address that leads nowhere. */
export function NotFound() {
  return (
    <MessagePage title="There is nothing here">
      <p className="text-text-muted">
        The address may have been mistyped.{" "}
        <a href="/" className="rounded-sm text-accent underline underline-offset-2">
          Go to the start page
        </a>
      </p>
    </MessagePage>
  );
}
