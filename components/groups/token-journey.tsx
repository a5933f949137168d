/** Draws how a token travels: backend, this service, page, renderer, and back to the service. */
export function TokenJourney() {
  return (
    <figure className="rounded-xl border border-border px-4 py-5">
      <svg
        viewBox="0 4 760 140"
        role="img"
        aria-label={
          "Your backend asks this service for the customer’s token and puts it into the page. The page gives it to " +
          "the renderer, which asks this service who is viewing."
        }
        className="hidden w-full text-text-muted sm:block"
      >
        <Box x={1} title="Your backend" text="knows the customer" />
        <Box x={211} title="This service" text="keeps the group" isOurs />
        <Box x={421} title="Your page" text="embeds the token" />
        <Box x={629} title="Renderer" text="draws the dashboard" />
        <marker id="journey-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0.5 8 4 0 7.5Z" fill="currentColor" />
        </marker>
        <g fill="none" stroke="currentColor" strokeWidth={1.25} markerEnd="url(#journey-arrow)">
          <path d="M132 65H207" />
          <path d="M210 87H136" />
          <path d="M552 76H625" />
          <path d="M66 111C66 148 486 148 486 113" />
          <path d="M694 41C694 4 276 4 276 39" />
        </g>
        <g className="fill-text-secondary text-2xs" textAnchor="middle">
          <text x={170} y={58}>
            GET /api/user
          </text>
          <text x={276} y={130}>
            page with the token
          </text>
          <text x={485} y={29}>
            who is viewing? POST /api/viewer
          </text>
        </g>
        <g className="fill-hue-3-text font-mono text-2xs" textAnchor="middle">
          <text x={172} y={103}>
            ugt_…
          </text>
          <text x={588} y={68}>
            ugt_…
          </text>
        </g>
      </svg>
      <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-text-secondary sm:hidden">
        <li>Your backend asks this service for the customer’s token.</li>
        <li>Your backend puts the token into the page.</li>
        <li>The page gives the token to the renderer.</li>
        <li>The renderer asks this service who is viewing, and draws that customer’s data.</li>
      </ol>
    </figure>
  );
}

interface BoxProps {
  x: number;
  title: string;
  text: string;
  /** this service itself */
  isOurs?: boolean;
}

/** A program or page, with what it does. */
function Box({ x, title, text, isOurs = false }: BoxProps) {
  return (
    <g transform={`translate(${x} 42)`} textAnchor="middle">
      <rect
        width={130}
        height={68}
        rx={8}
        className={isOurs ? "fill-surface stroke-accent" : "fill-surface stroke-border-strong"}
        strokeWidth={isOurs ? 1.5 : 1}
      />
      <text x={65} y={30} className="fill-text font-semibold text-sm">
        {title}
      </text>
      <text x={65} y={50} className="fill-text-secondary text-xs">
        {text}
      </text>
    </g>
  );
}
