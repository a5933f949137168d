export { EnvironmentsPage as default } from "@/components/environments/environments-page";
