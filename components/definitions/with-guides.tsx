"use client";

import { type ReactNode, useMemo } from "react";
import { type Guides, guidesOf } from "@/components/definitions/guides";
import type { StoredDefinitions } from "@/lib/definitions/queries";

interface WithGuidesProps {
  stored: StoredDefinitions;
  children: (guides: Guides) => ReactNode;
}

/** Gives a form what definitions say. Load it on demand: schemas are a sixth of the page's weight. */
export function WithGuides({ stored, children }: WithGuidesProps) {
  return children(useMemo(() => guidesOf(stored), [stored]));
}
