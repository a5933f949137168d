import { Arrows, Box, Labels, Tokens } from "@/components/diagram";

const FIRST = { y: 48, height: 56 };
const SECOND = { y: 222, height: 56 };

/** Draws both ways to tell a renderer who is viewing: by a viewer token, and by the user group token in the page. */
export function TokenWays() {
  return (
    <figure className="rounded-xl border border-border px-4 py-4">
      <svg
        viewBox="0 0 760 292"
        role="img"
        aria-label="With viewer tokens: for each page view your backend asks this service for a viewer token and puts it into the page; the page gives it to the renderer, which verifies it with this service’s public keys, or asks POST /api/viewer. With the user group token: you copy it into the page once; the page gives it to the renderer, which asks POST /api/viewer each time."
        className="mx-auto hidden w-full max-w-4xl text-text-muted sm:block"
      >
        <text x={1} y={14} className="fill-text font-semibold text-sm">
          Viewer token
        </text>
        <Box x={1} {...FIRST} title="Your backend" text="knows the customer" />
        <Box x={211} {...FIRST} title="This service" text="signs the token" isOurs />
        <Box x={421} {...FIRST} title="Your page" text="holds it for minutes" />
        <Box x={629} {...FIRST} title="Renderer" text="verifies it" />
        <Arrows id="viewer-token-arrow">
          <path d="M132 66H207" />
          <path d="M210 86H136" />
          <path d="M552 76H625" />
          <path d="M66 105C66 142 486 142 486 107" />
          <path d="M276 47C276 10 694 10 694 45" strokeDasharray="4 3" />
        </Arrows>
        <Labels>
          <text x={170} y={59}>
            each view
          </text>
          <text x={276} y={123}>
            page with the token
          </text>
          <text x={485} y={34}>
            public keys, or POST /api/viewer
          </text>
        </Labels>
        <Tokens>
          <text x={172} y={100}>
            eyJ…
          </text>
          <text x={588} y={69}>
            eyJ…
          </text>
        </Tokens>
        <path d="M1 158H759" className="stroke-border" />
        <text x={1} y={186} className="fill-text font-semibold text-sm">
          User group token
        </text>
        <Box x={211} {...SECOND} title="This service" text="knows the token" isOurs />
        <Box x={421} {...SECOND} title="Your page" text="holds it for good" />
        <Box x={629} {...SECOND} title="Renderer" text="asks each time" />
        <Arrows id="group-token-arrow">
          <path d="M342 250H417" />
          <path d="M552 250H625" />
          <path d="M694 221C694 184 276 184 276 219" />
        </Arrows>
        <Labels>
          <text x={381} y={266}>
            copied once
          </text>
          <text x={485} y={208}>
            POST /api/viewer
          </text>
        </Labels>
        <Tokens>
          <text x={381} y={243}>
            ugt_…
          </text>
          <text x={588} y={243}>
            ugt_…
          </text>
        </Tokens>
      </svg>
      <div className="flex flex-col gap-4 sm:hidden">
        <Way title="Viewer token">
          <li>For each page view your backend asks this service for a viewer token.</li>
          <li>The page gives it to the renderer.</li>
          <li>The renderer verifies it with this service’s public keys, or asks.</li>
        </Way>
        <Way title="User group token">
          <li>You copy it into the page once.</li>
          <li>The page gives it to the renderer.</li>
          <li>The renderer asks this service each time.</li>
        </Way>
      </div>
    </figure>
  );
}

function Way({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{title}</p>
      <ol className="flex list-decimal flex-col gap-1 pl-5 text-text-secondary">{children}</ol>
    </div>
  );
}
