import { notFound, redirect } from "next/navigation";

export default async function EnvironmentPage({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  // No slug has another look: this is an address that leads nowhere, such as /favicon.ico.
  if (!/^[a-z][a-z0-9-]*$/.test(environment)) notFound();
  redirect(`/${environment}/groups`);
}
