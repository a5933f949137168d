import { checkValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import type { RowType } from "./rows";

/** Converts JSON text to another type: `"10"` to `10`, `true` to `"true"`. */
export function convertLiteral(literal: string, to: RowType): string {
  const value: unknown = JSON.parse(literal);
  const text = typeof value === "string" ? value : value === null ? "" : literal;
  switch (to) {
    case "string":
      return typeof value === "string" ? literal : JSON.stringify(text);
    case "number":
      if (typeof value === "boolean") return value ? "1" : "0";
      return isNumber(text.trim()) ? text.trim() : "0";
    case "boolean":
      if (typeof value === "boolean") return literal;
      return String(isNumber(text.trim()) ? Number(text) !== 0 : text.trim().toLowerCase() === "true");
    case "null":
      return "null";
    case "json":
      if (value === null || text.trim() === "") return "{}";
      return checkValue(text).value instanceof RawJson ? text.trim() : `[${literal}]`;
  }
}

/** Whether the text is spelled as a JSON number. */
export function isNumber(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
}
