export { ready as GET } from "@/lib/operations/health";
