"use client";

import { createContext, type ReactNode, useContext, useState } from "react";

const ApiToken = createContext<[string, (token: string) => void]>(["", () => {}]);

/** Holds the API token that a reader types in, for every call on the page: in memory alone, gone with the page. */
export function ApiTokenProvider({ children }: { children: ReactNode }) {
  return <ApiToken value={useState("")}>{children}</ApiToken>;
}

/** The API token that was typed in, and how to change it. */
export function useApiToken() {
  return useContext(ApiToken);
}
