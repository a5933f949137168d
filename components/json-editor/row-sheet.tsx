import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { INPUT_LOOK } from "@/components/ui/input";
import { TextField } from "@/components/ui/text-field";
import { cn } from "@/lib/browser/class-name";
import { stringIn } from "@/lib/json/exact-value";
import { focusCell } from "./arrow-keys";
import { type RowProps, RowValue, rowFields, TypeChoice } from "./row-fields";

interface RowSheetProps extends RowProps {
  isNew: boolean;
  /** keeps the edits */
  onClose: () => void;
  onCancel: () => void;
}

const LINE = "flex min-h-11 items-center justify-between gap-3 border-border border-t";
const LOOKS = {
  choice: "h-11! flex-1 text-lg!",
  text: cn(INPUT_LOOK, "field-sizing-content max-h-40 min-h-11 resize-none py-2.5 text-lg!"),
};

/** Edits one row on a phone. Edits are kept however it closes, except by Cancel. */
export function RowSheet({ isNew, onClose, onCancel, ...given }: RowSheetProps) {
  const box = useRef<HTMLDivElement>(null);
  const onEnter: RowProps["onEnter"] = (index, part) =>
    part === "key" ? focusCell(box.current, `${index} value`) : onClose();
  const row = { ...given, onEnter, hasLines: given.type === "json" || given.value.includes("\n") };
  const { index, words, name, guide, was, onEdit } = row;
  const { cell, nameError, valueError, isNameWrong, isValueWrong, hasTypes, note } = rowFields(row);
  const [isNameFirst] = useState(isNew && name === "");
  const nameField = (
    <TextField
      label={words.key}
      {...messageOf(nameError, isNameWrong)}
      {...cell("key")}
      {...(isNameFirst && { "data-first": "" })}
      value={name}
      enterKeyHint="next"
      className="h-11! text-lg!"
    />
  );
  return (
    <Dialog
      onClose={onClose}
      title={name || "New row"}
      description={[guide?.label, guide?.hint].filter(Boolean).join(". ")}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is typed replaces a default or a zero */}
      <div
        ref={box}
        data-row={index}
        onFocus={({ target }) => isNew && target instanceof HTMLTextAreaElement && target.select()}
        className="flex flex-col gap-4"
      >
        {isNameFirst && nameField}
        <Field label={words.value} {...messageOf(valueError ?? note, isValueWrong)}>
          {(field) => <RowValue row={row} {...field} looks={LOOKS} isFirst={!isNameFirst} />}
        </Field>
        <div className="empty:hidden">
          {hasTypes && (
            <div className={LINE}>
              <span aria-hidden>Type</span>
              <TypeChoice row={row} label="Type" className="border-0! shadow-none!" />
            </div>
          )}
          {was !== undefined && (
            <div className={LINE}>
              <span className="min-w-0 break-words">
                Saved value <span className="text-text-muted">{stringIn(was) || was}</span>
              </span>
              <Button variant="ghost" onClick={() => onEdit(index, { do: "set", literal: was })}>
                Restore
              </Button>
            </div>
          )}
        </div>
        {!isNameFirst && nameField}
        {!isNew && (
          <Button
            variant="ghost"
            className="-mx-3 self-start text-danger!"
            onClick={() => {
              onEdit(index, { do: "remove" });
              onClose();
            }}
          >
            Remove row
          </Button>
        )}
      </div>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function messageOf(text: string | undefined, isWrong: boolean) {
  return isWrong ? { error: text } : { hint: text };
}
