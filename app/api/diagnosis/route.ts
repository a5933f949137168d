export { diagnose as GET } from "@/lib/operations/diagnosis";
