export { GET } from "@/app/e/[slug]/.well-known/jwks.json/route";
