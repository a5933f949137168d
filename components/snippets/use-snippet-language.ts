"use client";

import { useSyncExternalStore } from "react";
import { LANGUAGE_IDS, type LanguageId } from "@/lib/snippets/snippet";

const KEY = "snippet-language";
const DEFAULT = "curl";
const listeners = new Set<() => void>();

/** The language of all snippets, remembered by the browser. */
export function useSnippetLanguage(): [LanguageId, (language: LanguageId) => void] {
  return [useSyncExternalStore(subscribe, read, () => DEFAULT), choose];
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

function read(): LanguageId {
  const kept = localStorage.getItem(KEY);
  return LANGUAGE_IDS.find((language) => language === kept) ?? DEFAULT;
}

function choose(language: LanguageId) {
  localStorage.setItem(KEY, language);
  // Storage events reach only other pages.
  for (const listener of listeners) listener();
}
