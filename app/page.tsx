export { StartPage as default } from "@/components/start-page";
