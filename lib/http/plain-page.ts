import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { WholeAnswer } from "@/lib/endpoint/call";
import type { AppError } from "@/lib/errors";

const STYLE = "body { max-width: 28rem; margin: 20vh auto; padding: 0 1rem; font: 14px/1.5 system-ui }";
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Headers of a page without scripts. */
export const PLAIN_PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
};

/** A page that needs no other files of the dashboard. */
export function plainPage(title: string, ...paragraphs: string[]): string {
  const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const text = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>\n`).join("");
  return (
    '<!doctype html>\n<html lang="en">\n<meta name="viewport" ' +
    'content="width=device-width">\n<meta name="color-scheme" content="light dark">\n' +
    `<style>${STYLE}</style>\n<title>${title}</title>\n${text}`
  );
}

/** A failure as a page. */
export function errorPage({ message, headers }: AppError, requestId: string): Pick<WholeAnswer, "headers" | "body"> {
  const body = plainPage("Error", message, `Request ID: ${requestId}`);
  return { headers: { ...headers, ...PLAIN_PAGE_HEADERS }, body };
}

/** Whether a browser is waiting for a page. */
export function isForPage({ method, headers: { accept } }: IncomingMessage): boolean {
  return method === "GET" && accept?.includes("text/html") === true;
}
