"use client";

import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { countOf } from "@/components/count";
import { DeleteEnvironment } from "@/components/environments/delete-environment";
import { EditEnvironment } from "@/components/environments/edit-environment";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { Shares } from "@/components/environments/shares";
import { useHasRole } from "@/components/members/use-member";
import { Menu, MenuItem } from "@/components/ui/menu";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { cn } from "@/lib/browser/class-name";
import type { EnvironmentDetails } from "@/lib/environments/schema";

const COLUMNS = [
  { name: "Environment", className: "w-[26%]" },
  { name: "Use" },
  { name: "User groups", className: "w-28", line: false },
  { name: "Valid API tokens", className: "w-34", line: false },
  { name: "Embed template", className: "w-32", line: false },
];

export function EnvironmentTable({ environments }: { environments: EnvironmentDetails[] | undefined }) {
  const isAdmin = useHasRole("admin");
  const isOwner = useHasRole("owner");
  const [open, setOpen] = useState<{ verb: "edit" | "delete"; environment: EnvironmentDetails }>();
  const close = () => setOpen(undefined);
  const rows = environments?.map((environment) => {
    const { slug, name, groups, apiTokens, embedTemplate } = environment;
    return (
      <TableRow key={slug}>
        <Cell line className={cn("py-3.5 @max-4xl:py-0", isAdmin && "@max-4xl:pr-10")}>
          <div className="flex min-w-0">
            <EnvironmentMark environment={environment} />
          </div>
          <span title={slug} className="block truncate pl-4 font-mono text-text-muted text-xs">
            {slug}
          </span>
        </Cell>
        <Cell line className="@max-4xl:py-1.5">
          <Shares slug={slug} />
        </Cell>
        <Cell label="User groups" className="tabular-nums">
          {countOf(groups)}
        </Cell>
        <Cell label="Valid API tokens" className="tabular-nums">
          {apiTokens}
        </Cell>
        <Cell label="Embed template" className={cn(!embedTemplate && "text-text-muted")}>
          <span className="@max-4xl:lowercase">{embedTemplate ? "Set" : "None"}</span>
        </Cell>
        <ActionCell>
          {isAdmin && (
            <Menu
              align="end"
              button={{
                variant: "ghost",
                size: "row",
                "aria-label": `Actions for ${name}`,
                children: <Ellipsis aria-hidden />,
              }}
            >
              <MenuItem onClick={() => setOpen({ verb: "edit", environment })}>
                <Pencil aria-hidden />
                Edit…
              </MenuItem>
              {isOwner && (
                <MenuItem danger onClick={() => setOpen({ verb: "delete", environment })}>
                  <Trash2 aria-hidden />
                  Delete…
                </MenuItem>
              )}
            </Menu>
          )}
        </ActionCell>
      </TableRow>
    );
  });
  return (
    <>
      <Table label="Environments" columns={COLUMNS} hasActions={isAdmin} rows={rows} skeletonRows={2} />
      {open?.verb === "edit" && <EditEnvironment environment={open.environment} onClose={close} />}
      {open?.verb === "delete" && (
        <DeleteEnvironment environment={open.environment} isOnly={environments?.length === 1} onClose={close} />
      )}
    </>
  );
}
