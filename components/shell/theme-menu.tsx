"use client";

import { Monitor, Moon, Sun, SunMoon } from "lucide-react";
import { useTheme } from "next-themes";
import { Menu, MenuChoice } from "@/components/ui/menu";

export const THEMES = [
  { value: "light", name: "Light", icon: Sun },
  { value: "dark", name: "Dark", icon: Moon },
  { value: "system", name: "System", icon: Monitor },
];

export function ThemeMenu() {
  const { theme = "system", setTheme } = useTheme();
  const options = THEMES.map(({ value, name, icon: Icon }) => ({
    value,
    label: (
      <>
        <Icon aria-hidden />
        {name}
      </>
    ),
  }));
  return (
    <Menu align="end" button={{ icon: SunMoon, variant: "ghost", size: "icon", "aria-label": "Theme" }}>
      <MenuChoice label="Theme" value={theme} onChange={setTheme} options={options} />
    </Menu>
  );
}
