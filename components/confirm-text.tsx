import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

interface ConfirmTextProps {
  expected: string;
  value: string;
  onChange: (value: string) => void;
}

/** Asks to type a text before a destructive action. */
export function ConfirmText({ expected, value, onChange }: ConfirmTextProps) {
  return (
    <Field
      label={
        <>
          Type <span className="break-all rounded bg-hover px-1 py-0.5 font-mono text-xs">{expected}</span> to confirm
        </>
      }
    >
      {(control) => (
        <Input
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      )}
    </Field>
  );
}
