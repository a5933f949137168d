import { NotFoundPage } from "@/components/not-found-page";

export default function Page() {
  return <NotFoundPage />;
}
