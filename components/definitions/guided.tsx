"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Guides } from "@/components/definitions/guides";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Late } from "@/components/late";
import type { LatePanelProps } from "@/components/late-panel";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { definitionsQuery, type StoredDefinitions } from "@/lib/definitions/queries";

type Code = LatePanelProps["of"];

const guiding = onDemand(() => import("@/components/definitions/with-guides"));
const WithGuides = guiding.part("WithGuides");

/** The code of a form together with that of its guides. */
export function guidedCode(form: Code): Code {
  return {
    load: async () => void (await Promise.all([form.load(), guiding.load()])),
    isLoaded: () => form.isLoaded() && guiding.isLoaded(),
  };
}

interface GuidedProps {
  /** the form's code, where it loads late: without and with guides */
  code?: { plain: Code; guided: Code };
  children: (guides: Guides | undefined) => ReactNode;
}

/** A form with what definitions say of its fields; where they are off, without their code. */
export function Guided({ code, children }: GuidedProps) {
  const { data, isPending } = useQuery(definitionsQuery(useEnvironmentSlug()));
  // The first answer decides: another form would lose what was typed.
  const [decided, setDecided] = useState<{ stored: StoredDefinitions | undefined }>();
  if (!decided && !isPending) setDecided({ stored: data?.enforcement === "off" ? undefined : data });
  if (!decided) return <Skeleton className="h-52 rounded-lg" />;
  const { stored } = decided;
  if (stored) {
    return (
      <Late of={code?.guided ?? guiding}>
        <WithGuides stored={data ?? stored}>{children}</WithGuides>
      </Late>
    );
  }
  return code ? <Late of={code.plain}>{children(undefined)}</Late> : children(undefined);
}
