import { expect, test } from "vitest";
import { changesBetween } from "@/lib/process/upgrade-notice";

const CHANGELOG = `# Changelog

## [Unreleased]

## [0.11.0] - 2026-12-01

### Added

- Something.

## [0.10.0] - 2026-11-27

### Changed

### During the upgrade

## [0.9.0] - 2026-11-25

### Upgrading to 0.9.0
`;

test("the changes since a version are the headings above its own, with their sections", () => {
  const last = "0.11.0 (Added)";
  expect(changesBetween(CHANGELOG, "0.11.0")).toEqual([]);
  expect(changesBetween(CHANGELOG, "0.10.0")).toEqual([last]);
  expect(changesBetween(CHANGELOG, "0.9.0")).toEqual([last, "0.10.0 (Changed, During the upgrade)"]);
  const unreleased = CHANGELOG.replace("[Unreleased]", "[Unreleased]\n\n### Fixed");
  expect(changesBetween(unreleased, "0.10.0")).toEqual(["Unreleased (Fixed)", last]);
});
