export { AccountPage as default } from "@/components/members/account-page";
