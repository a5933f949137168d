interface ArrowsProps {
  /** of the arrow's head, once in a page */
  id: string;
  /** paths */
  children: React.ReactNode;
}

/** The arrows of a drawing. */
export function Arrows({ id, children }: ArrowsProps) {
  return (
    <>
      <defs>
        <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0.5 8 4 0 7.5Z" fill="currentColor" />
        </marker>
      </defs>
      <g fill="none" stroke="currentColor" strokeWidth={1.25} markerEnd={`url(#${id})`}>
        {children}
      </g>
    </>
  );
}

/** Labels of arrows. */
export function Labels({ children }: { children: React.ReactNode }) {
  return (
    <g className="fill-text-secondary text-2xs" textAnchor="middle">
      {children}
    </g>
  );
}

/** Tokens on their way. */
export function Tokens({ children }: { children: React.ReactNode }) {
  return (
    <g className="fill-hue-3-text font-mono text-2xs" textAnchor="middle">
      {children}
    </g>
  );
}

const WIDTH = 130;

interface BoxProps {
  x: number;
  y: number;
  height: number;
  title: string;
  text: string;
  /** this service itself */
  isOurs?: boolean;
}

/** A program or page, 130 wide, with what it does. */
export function Box({ x, y, height, title, text, isOurs = false }: BoxProps) {
  const middle = { x: x + WIDTH / 2, y: y + height / 2 };
  return (
    <g textAnchor="middle">
      <rect
        x={x}
        y={y}
        width={WIDTH}
        height={height}
        rx={8}
        className={isOurs ? "fill-surface stroke-accent" : "fill-surface stroke-border-strong"}
        strokeWidth={isOurs ? 1.5 : 1}
      />
      <text x={middle.x} y={middle.y - 4} className="fill-text font-semibold text-sm">
        {title}
      </text>
      <text x={middle.x} y={middle.y + 16} className="fill-text-secondary text-xs">
        {text}
      </text>
    </g>
  );
}
