import { useEffect, useState } from "react";
import { describeProblem, type JsonProblem } from "./problems";

/** Pause in typing before the text is checked, in milliseconds. */
const PAUSE = 300;
/** How many problems are listed. */
const LISTED = 50;

/** The problems, each a link to its place. */
export function ProblemList({ problems, onGoTo }: { problems: JsonProblem[]; onGoTo: (problem: JsonProblem) => void }) {
  if (problems.length === 0) return null;
  return (
    <ul className="flex flex-col">
      {problems.slice(0, LISTED).map((problem) => (
        <li
          key={`${problem.place?.offset} ${problem.message}`}
          className={problem.isRefused === false ? "text-warning" : undefined}
        >
          {problem.place ? (
            <button
              type="button"
              onClick={() => onGoTo(problem)}
              className="min-h-6 rounded-sm text-left underline-offset-2 hover:underline"
            >
              {describeProblem(problem)}
            </button>
          ) : (
            describeProblem(problem)
          )}
        </li>
      ))}
      {problems.length > LISTED && <li>and {problems.length - LISTED} more</li>}
    </ul>
  );
}

/** The value at the last pause in typing, so that checking it never slows typing down. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Browsers use only line feeds in text fields. */
export function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
