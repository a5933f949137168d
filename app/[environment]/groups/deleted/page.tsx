export { DeletedGroupsPage as default } from "@/components/groups/deleted-groups-page";
