export { betterAuthEndpoint as GET, betterAuthEndpoint as POST } from "@/lib/endpoint/sign-in";
