"use client";

import { createContext, type ReactNode, useContext, useState } from "react";

const ApiToken = createContext<[string, (token: string) => void]>(["", () => {}]);

/** Holds the API token for every call on the page. In memory only. */
export function ApiTokenProvider({ children }: { children: ReactNode }) {
  return <ApiToken value={useState("")}>{children}</ApiToken>;
}

export function useApiToken() {
  return useContext(ApiToken);
}
