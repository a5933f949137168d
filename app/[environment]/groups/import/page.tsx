export { ImportStartPage as default } from "@/components/jobs/import-start-page";
