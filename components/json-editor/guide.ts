import type { Member } from "./rows";

/** A value to choose, as JSON. */
export interface GuideOption {
  literal: string;
  label: string;
}

export const BOOLEANS: GuideOption[] = ["true", "false"].map((literal) => ({ literal, label: literal }));

/** What is known about a key. */
export interface RowGuide {
  key: string;
  /** its name, where the key is an id */
  label?: string | undefined;
  /** what it is for */
  hint?: string | undefined;
  /** the type of its values */
  type?: string | undefined;
  /** whether an object without it has a problem */
  isRequired: boolean;
  /** the only values allowed; undefined if any is */
  options?: GuideOption[] | undefined;
  /** as JSON; undefined if it has none */
  defaultValue?: string | undefined;
  /** the member to add for it */
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

/** What is known about the keys of a JSON object: keys to pick, and problems to show next to them. */
export interface SheetGuide {
  rows: ReadonlyMap<string, RowGuide>;
  /** finds problems of a JSON object or null; `saved` is the text it replaces, undefined for a new group */
  find: (text: string, saved: string | undefined) => GuideProblem[];
}
