export { ApiTokensPage as default } from "@/components/api-tokens/api-tokens-page";
