"use client";

import { createContext } from "react";

/** What a copied or downloaded text is reported to, by what shows a secret once. */
export const SecretCopied = createContext<(text: string) => void>(() => {});
