import { resource } from "@/lib/http/admin";
import { signIn } from "@/lib/http/sign-in";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({ GET: signIn, POST: signIn });
