export { ActivityPage as default } from "@/components/activity/activity-page";
