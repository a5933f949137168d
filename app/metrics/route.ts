export { metrics as GET } from "@/lib/operations/metrics";
