import "@fontsource-variable/inter";
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import "@fontsource-variable/jetbrains-mono";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { preload } from "react-dom";
import { Providers } from "@/components/providers";
import "./globals.css";

// Titles are the pages' own, as they name what only their data tells.
export const metadata: Metadata = {
  robots: { index: false },
  icons: { icon: { url: "/icon.svg", type: "image/svg+xml" } },
};
export const viewport: Viewport = { colorScheme: "light dark" };

/** Here before the first text is painted, which keeps the font that it is painted in. */
const FONT = { as: "font", type: "font/woff2", crossOrigin: "anonymous" } as const;

export default async function RootLayout({ children }: { children: ReactNode }) {
  preload(inter, FONT);
  // Rendered for each request: the front door gives each answer a nonce of its own.
  const nonce = /'nonce-([^']+)'/.exec((await headers()).get("content-security-policy") ?? "")?.[1];
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  );
}
