import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import "@fontsource-variable/jetbrains-mono";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { preload } from "react-dom";
import { Providers } from "@/components/shell/providers";
import "./fonts.css";
import "./globals.css";

// No title: each page sets its own from its data.
export const metadata: Metadata = {
  robots: { index: false },
  icons: { icon: { url: "/icon.svg", type: "image/svg+xml" } },
};
export const viewport: Viewport = { colorScheme: "light dark", interactiveWidget: "resizes-content" };

/** Preloaded: with font-display optional, a late font is never used. */
const FONT = { as: "font", type: "font/woff2", crossOrigin: "anonymous" } as const;

export default async function RootLayout({ children }: { children: ReactNode }) {
  preload(inter, FONT);
  // Rendered per request: each response has its own nonce.
  const nonce = /'nonce-([^']+)'/.exec((await headers()).get("content-security-policy") ?? "")?.[1];
  return (
    <html lang="en" suppressHydrationWarning>
      {/* Busy until Alive ends that. */}
      <body aria-busy>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  );
}
