import Theme from "vitepress/theme-without-fonts";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../../../../app/tokens.css";
import "./style.css";

export default Theme;
