"use client";

import { Copy, Ellipsis, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CopyButton } from "@/components/copy-button";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { TokenJourney } from "@/components/groups/token-journey";
import { PageTitle } from "@/components/page-title";
import { ThemeMenu } from "@/components/shell/theme-menu";
import { Bars } from "@/components/ui/bars";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Chip } from "@/components/ui/chip";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Face, ProgramFace } from "@/components/ui/face";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { Kbd } from "@/components/ui/kbd";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { Segmented } from "@/components/ui/segmented";
import { Select } from "@/components/ui/select";
import { Skeleton } from "@/components/ui/skeleton";
import { Steps } from "@/components/ui/steps";
import { Cell, Table, TableRow } from "@/components/ui/table";
import { Tabs } from "@/components/ui/tabs";
import { TextField } from "@/components/ui/text-field";
import { toast } from "@/components/ui/toast";
import { USE_WORDS, type Use, UseMark } from "@/components/ui/use-mark";

const SURFACES = ["bg-background", "bg-surface", "bg-raised", "bg-hover", "bg-pressed", "bg-selected", "bg-sunken"];
const VARIANTS = ["primary", "secondary", "ghost", "danger"] as const;
const VALUES = [2, 3, 0, 5, 8, 6, 4, 9, 12, 0, 3, 7, 11, 14, 9, 6, 8, 13, 17, 12, 15, 9, 4, 18, 21, 16, 19, 12, 22, 24];

/** Every primitive in every state. */
export function DesignPage() {
  const [view, setView] = useState<"table" | "json">("table");
  const [tab, setTab] = useState("one");
  const [format, setFormat] = useState("html");
  const [isOpen, setOpen] = useState(false);
  return (
    <main className="mx-auto flex max-w-4xl flex-col gap-8 bg-surface px-6 py-8">
      <PageTitle screen="Design" />
      <div className="flex items-center justify-between">
        <h1 className="font-semibold text-xl">Design</h1>
        <ThemeMenu />
      </div>
      <Part title="Type">
        <p className="font-semibold text-xl">Title, 22 on 28</p>
        <p className="font-semibold text-base">Section, 14 on 20</p>
        <p>Body, 13 on 20</p>
        <p className="text-text-secondary text-xs">Secondary, 12 on 16</p>
        <p className="font-medium font-mono text-token">ugt_••••••••••••••••</p>
      </Part>
      <Part title="Surfaces">
        {SURFACES.map((name) => (
          <div key={name} className={`flex h-16 w-28 items-end rounded-lg border border-border p-2 text-2xs ${name}`}>
            {name.slice(3)}
          </div>
        ))}
      </Part>
      <Part title="Buttons">
        {VARIANTS.map((variant) => (
          <div key={variant} className="flex flex-wrap items-center gap-2">
            <Button icon={Plus} variant={variant}>
              {variant}
            </Button>
            <Button variant={variant} disabled>
              disabled
            </Button>
            <Button icon={Copy} variant={variant} size="small">
              small
            </Button>
            <Button icon={Ellipsis} variant={variant} size="icon" aria-label="More" />
          </div>
        ))}
        <CopyButton what="example" text="example">
          Copy
        </CopyButton>
      </Part>
      <Part title="Fields">
        <TextField label="Name" hint="A hint." placeholder="Placeholder" />
        <TextField label="Id" error="Is taken." defaultValue="acme" />
        <TextField label="Read-only" readOnly defaultValue="acme" />
        <Field label="Text">{(control) => <Textarea {...control} defaultValue="Some text" />}</Field>
        <Field label="Format">
          {(control) => <Select {...control} value={format} onChange={setFormat} options={FORMATS} />}
        </Field>
        <div className="flex items-center gap-2">
          <Checkbox aria-label="Off" />
          <Checkbox aria-label="On" defaultChecked />
          <Checkbox aria-label="Some" indeterminate />
          <Checkbox aria-label="Disabled" disabled defaultChecked />
        </div>
        <ChoiceCards
          label="Preset"
          name="preset"
          defaultValue="backend"
          options={[
            { value: "backend", label: "Backend", hint: "Creates and changes user groups." },
            { value: "renderer", label: "Renderer", hint: "Asks who is viewing." },
          ]}
        />
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: "table", label: "Table" },
            { value: "json", label: "JSON" },
          ]}
        />
      </Part>
      <Part title="Marks">
        {(Object.keys(USE_WORDS) as Use[]).map((use) => (
          <span key={use} className="flex items-center gap-2">
            <UseMark use={use} />
            {USE_WORDS[use]}
          </span>
        ))}
        <EnvironmentMark environment={{ name: "Production", tag: "Customer" }} />
        <EnvironmentMark environment={{ name: "Testing", tag: "Testing" }} />
        <Face name="Ada Keller" />
        <ProgramFace kind="api_token" />
        <ProgramFace kind="operator" />
        <Kbd>K</Kbd>
      </Part>
      <Part title="Chips">
        {["pro", "free", "enterprise", "trial", "eu-west"].map((value) => (
          <Chip key={value} by={value}>
            {value}
          </Chip>
        ))}
        <Chip>plain</Chip>
        <Chip tone="success">success</Chip>
        <Chip tone="warning">warning</Chip>
        <Chip tone="danger">danger</Chip>
      </Part>
      <Part title="Bars">
        <Bars values={VALUES} label="30 days of example checks" />
        <Bars values={VALUES} label="30 days of example checks, larger" width={180} height={28} />
        <Bars values={VALUES.map(() => 0)} label="No checks in 30 days" />
      </Part>
      <Part title="Notices">
        <Notice title="Neutral">
          <p>What happened, and what to do.</p>
        </Notice>
        {(["success", "warning", "danger"] as const).map((tone) => (
          <Notice key={tone} tone={tone} title={tone}>
            <p>What happened, and what to do.</p>
          </Notice>
        ))}
        <Progress label="Applying" value={0.4} note="40 of 100" />
        <Skeleton className="h-3.5 w-40" />
      </Part>
      <Part title="Popups">
        <Menu button={{ children: "Menu" }}>
          <MenuItem onClick={() => undefined}>Open</MenuItem>
          <MenuItem onClick={() => undefined} disabled>
            Disabled
          </MenuItem>
          <MenuItem onClick={() => undefined} danger>
            Delete…
          </MenuItem>
        </Menu>
        <Button onClick={() => setOpen(true)}>Dialog</Button>
        <Button
          onClick={() =>
            toast({
              title: "“Acme” was deleted",
              action: { label: "Undo", onClick: () => toast({ title: "Restored" }) },
            })
          }
        >
          Toast
        </Button>
        <Dialog
          open={isOpen}
          onOpenChange={setOpen}
          title="Delete “Acme”?"
          description="It can be restored for 7 days."
        >
          <DialogActions>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="danger" onClick={() => setOpen(false)}>
              Delete user group
            </Button>
          </DialogActions>
        </Dialog>
      </Part>
      <Tabs
        label="Example"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "one", label: "Properties", panel: <p>The first panel.</p> },
          { value: "two", label: "History", panel: <p>The second panel.</p> },
        ]}
      />
      <Table
        label="Example"
        columns={[{ name: "Name" }, { name: "Id" }]}
        hasActions={false}
        rows={["Acme", "Borealis"].map((name) => (
          <TableRow key={name}>
            <Cell className="font-medium">{name}</Cell>
            <Cell className="font-mono text-xs">{name.toLowerCase()}</Cell>
          </TableRow>
        ))}
      />
      <Steps
        steps={[
          { title: "Create a group", isDone: true },
          { title: "Put its token into your page", children: <p>Copy this.</p> },
          { title: "See it used" },
        ]}
      />
      <TokenJourney />
    </main>
  );
}

const FORMATS = [
  { value: "html", label: "HTML" },
  { value: "react", label: "React" },
];

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3 border-border border-t pt-4">
      <h2 className="font-semibold text-base">{title}</h2>
      <div className="flex flex-wrap items-start gap-4">{children}</div>
    </section>
  );
}
