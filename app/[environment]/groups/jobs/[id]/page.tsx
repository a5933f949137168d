export { JobPage as default } from "@/components/jobs/job-page";
