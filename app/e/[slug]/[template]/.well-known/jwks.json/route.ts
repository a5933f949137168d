export { GET, HEAD } from "@/app/e/[slug]/.well-known/jwks.json/route";
