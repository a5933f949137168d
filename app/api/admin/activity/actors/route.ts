import { z } from "zod";
import { listActors } from "@/lib/audit/service";
import { adminRoute } from "@/lib/endpoint/admin";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: listActors,
});
