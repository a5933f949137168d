import { redirect } from "next/navigation";

export default async function EnvironmentPage({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  redirect(`/${environment}/groups`);
}
