import type { Member } from "./rows";

/** A choice of a value, as JSON. */
export interface GuideOption {
  literal: string;
  label: string;
}

/** What is known of a key. */
export interface RowGuide {
  key: string;
  /** its name, where the key is an id */
  label?: string | undefined;
  /** what it is for */
  hint?: string | undefined;
  /** of its values */
  type?: string | undefined;
  /** whether an object without it has a problem */
  isRequired: boolean;
  /** the only values; undefined where any is allowed */
  options?: GuideOption[] | undefined;
  /** as JSON, where it has one */
  defaultValue?: string | undefined;
  /** the member that is added for it */
  blank: Member;
}

/** A problem with a key or its value. */
export interface GuideProblem {
  key: string;
  part: "key" | "value";
  message: string;
  /** whether saving would be refused */
  isRefused: boolean;
}

/** What is known of the keys of a JSON object: they can be picked, and their problems show next to them. */
export interface SheetGuide {
  rows: ReadonlyMap<string, RowGuide>;
  /** of a valid JSON object or null, which replaces a saved one; undefined for a new group */
  find: (text: string, saved: string | undefined) => GuideProblem[];
}
