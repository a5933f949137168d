import { TextField } from "@/components/ui/text-field";

interface ConfirmTextProps {
  expected: string;
  value: string;
  onChange: (value: string) => void;
}

/** Requires a text to be typed before a destructive action. */
export function ConfirmText({ expected, value, onChange }: ConfirmTextProps) {
  return (
    <TextField
      label={
        <>
          Type{" "}
          <span className="break-all whitespace-pre-wrap rounded bg-hover px-1 py-0.5 font-mono text-xs">
            {expected}
          </span>{" "}
          to confirm
        </>
      }
      value={value}
      onChange={(event) => onChange(event.target.value)}
      isLiteral
      className="font-mono"
    />
  );
}
