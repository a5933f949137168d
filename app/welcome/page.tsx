export { WelcomePage as default } from "@/components/members/welcome-page";
