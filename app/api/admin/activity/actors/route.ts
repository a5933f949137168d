import { z } from "zod";
import { listActors } from "@/lib/audit/service";
import { adminRoute, resource } from "@/lib/http/admin";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  GET: adminRoute({
    role: "viewer",
    input: z.strictObject({}),
    handle: listActors,
  }),
});
