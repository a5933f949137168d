export { MembersPage as default } from "@/components/members/members-page";
