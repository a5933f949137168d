export { EmbeddingPage as default } from "@/components/viewer-tokens/embedding-page";
