"use client";

import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { countOf } from "@/components/count";
import { DeleteEnvironment } from "@/components/environments/delete-environment";
import { EditEnvironment } from "@/components/environments/edit-environment";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useHasRole } from "@/components/members/use-member";
import { Menu, MenuItem } from "@/components/ui/menu";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { cn } from "@/lib/browser/class-name";
import type { EnvironmentDetails } from "@/lib/environments/schema";

const COLUMNS = [
  { name: "Name" },
  { name: "Slug", className: "w-[20%]" },
  { name: "User groups", className: "w-28" },
  { name: "Valid API tokens", className: "w-32" },
  { name: "Embed template", className: "w-32" },
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
        <Cell line className={cn(isAdmin && "@max-4xl:pr-10")}>
          <div className="flex min-w-0">
            <EnvironmentMark environment={environment} />
          </div>
        </Cell>
        <Cell line title={slug} className="font-mono text-text-muted text-xs">
          {slug}
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
