import { createContext } from "react";

/** Reports a copied or downloaded text to the dialog that shows a secret. */
export const SecretCopied = createContext<(text: string) => void>(() => {});
