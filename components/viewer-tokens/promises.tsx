import type { ReactNode } from "react";

/** What each kind of token promises when access is taken away. */
export function Promises() {
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      <Column title="Viewer token">
        <li>
          Rotate without an overlap, suspend, delete or end all views: a renderer that asks <Path /> refuses it
          immediately.
        </li>
        <li>
          A renderer that verifies it offline refuses it when it next polls the revocations, or once it has expired:
          after 15 minutes, by default.
        </li>
        <li>A copy from the page is useless after that.</li>
      </Column>
      <Column title="User group token">
        <li>
          Rotate without an overlap, suspend or delete: a renderer, which always asks <Path />, refuses it immediately.
        </li>
        <li>It never expires. Pages that are open when you rotate it need the new one.</li>
        <li>Anyone with a copy from the page can use it until you rotate it.</li>
      </Column>
    </div>
  );
}

function Column({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-medium">{title}</h3>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-text-secondary">{children}</ul>
    </div>
  );
}

const Path = () => <code className="whitespace-nowrap font-mono text-xs">POST /api/viewer</code>;
