export { alive as GET } from "@/lib/operations/health";
