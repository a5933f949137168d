"use client";

import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useEffect } from "react";
import { sessionQuery } from "@/lib/members/queries";

const LAST = "environment";

/** The slug in the address: the environment that every screen under it is about. */
export function useEnvironmentSlug(): string {
  const { environment } = useParams<{ environment: string }>();
  return environment;
}

/** The environment in the address, once it is known. */
export function useEnvironment() {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  return data?.environments.find((one) => one.slug === slug);
}

/** Remembers where one is, for the next visit. */
export function useRememberEnvironment() {
  const slug = useEnvironmentSlug();
  useEffect(() => localStorage.setItem(LAST, slug), [slug]);
}

/** The slug of the environment that was open last in this browser. */
export function lastEnvironment(): string | null {
  return localStorage.getItem(LAST);
}
