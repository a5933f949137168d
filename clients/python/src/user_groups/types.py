"""The answers of the API, as dictionaries. Members that can be missing are in the classes with ``total=False``."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

JsonObject = Dict[str, Any]


class FieldIssue(TypedDict):
    path: List[Union[str, int]]
    message: str


class Done(TypedDict):
    success: int


class _Identified(TypedDict):
    team_id: int
    name: str
    provided_id: str


class Place(_Identified):
    pass


class _FoundGroup(_Identified):
    token: str
    properties: Optional[JsonObject]


class FoundGroup(TypedDict):
    success: int
    new_user_group: bool
    user_group: _FoundGroup
    etag: str


class UpsertedGroup(FoundGroup):
    changed: bool


class _UpdatedGroup(_FoundGroup):
    api_environment_tag: str


class UpdatedGroup(TypedDict):
    success: int
    user_group: _UpdatedGroup
    etag: str


class _RotatedGroup(_Identified):
    token: str
    api_environment_tag: str


class _Rotated(TypedDict):
    success: int
    user_group: _RotatedGroup
    etag: str


class RotatedGroup(_Rotated, total=False):
    #: only after a rotation with an overlap: until when the replaced token is valid
    previous_token_valid_until: str


class _TaggedPlace(_Identified):
    api_environment_tag: str


class EndedOverlap(TypedDict):
    success: int
    #: whether an overlap was running
    overlap_ended: bool
    user_group: _TaggedPlace


class _GroupState(_Identified):
    state: str
    access_ends_at: Optional[str]
    api_environment_tag: str


class GroupState(TypedDict):
    success: int
    user_group: _GroupState
    etag: str


class DefinitionIssue(TypedDict):
    #: of the property, or of the schema in the mapping
    path: List[str]
    #: ``missing``, ``wrong_type``, ``not_in_enum``, ``unknown_property``, ``missing_schema``, ``unknown_schema``,
    #: ``unknown_data_source`` or ``data_source_of_other_schema``
    kind: str
    message: str


class RestoredGroup(GroupState, total=False):
    #: its problems by the definitions; absent where these are off
    issues: List[DefinitionIssue]


class _ViewingGroup(_Identified):
    mapping: JsonObject
    properties: Optional[JsonObject]
    api_environment_tag: str


class _Viewer(TypedDict):
    success: int
    active: bool


class Viewer(_Viewer, total=False):
    #: only if active
    user_group: _ViewingGroup
    #: ``previous`` for a replaced token in its overlap; absent for a current one
    token_state: str
    #: when that overlap ends
    valid_until: str
    #: ``suspended``, ``ended``, ``expired``, ``revoked`` or ``incomplete``: why a token must not be served
    reason: str
    #: where the dashboard may be embedded, to enforce; missing for anywhere
    allowed_origins: List[str]
    #: the properties with the defaults of the environment's definitions; absent where these are off
    variables: JsonObject
    #: the group's problems by the definitions; absent where these are off
    issues: List[DefinitionIssue]
    #: only for a viewer token: ``viewer``, ``variables``, ``preview`` and ``expires_at``
    viewer_token: JsonObject


class ViewerToken(TypedDict):
    success: int
    viewer_token: str
    expires_at: str


class Revocation(TypedDict):
    team_id: int
    gen: int


class Revocations(TypedDict):
    success: int
    revocations: List[Revocation]
    #: for the next call
    next_since: str
    #: whether to call again immediately
    has_more: bool


class ViewsEnded(Revocation):
    success: int


class AllowedOrigins(TypedDict):
    success: int
    #: the group's own; None for the environment's
    allowed_origins: Optional[List[str]]
    #: those that apply; None for anywhere
    effective_origins: Optional[List[str]]


class ViewerSettings(TypedDict):
    success: int
    settings: JsonObject


class PropertyDefinition(TypedDict):
    #: ``string``, ``integer``, ``number``, ``boolean``, ``date``, a list of these such as ``string[]``, ``object`` or
    #: ``any``
    type: str
    required: bool
    #: the value of groups that have none; None for none
    default: Any
    #: the only allowed values: of a list, its items; None for any
    enum: Optional[List[Union[str, float, bool]]]
    description: Optional[str]
    #: whether ``variables`` of a minted viewer token may replace its value
    overridable: bool
    #: whether viewer tokens contain it
    viewer_visible: bool


class SchemaDefinition(TypedDict):
    name: Optional[str]
    required: bool


class DataSourceDefinition(TypedDict):
    name: Optional[str]
    provided_id: Optional[str]
    #: the ids of the schemas that it may stand for; empty for any
    schemas: List[str]


class Definitions(TypedDict):
    #: by name
    properties: Dict[str, PropertyDefinition]
    #: ``allow`` or ``refuse``
    unknown_properties: str
    #: by id
    schemas: Dict[str, SchemaDefinition]
    #: by id
    data_sources: Dict[str, DataSourceDefinition]
    #: ``off``, ``report`` or ``enforce``
    enforcement: str
    #: ``report`` or ``enforce``
    creations: str


class DefinitionsAnswer(TypedDict):
    success: int
    #: changes by one with each change; 0 before the first
    version: int
    definitions: Definitions
    etag: str


class SuggestedDefinitions(TypedDict):
    success: int
    #: how many groups they were read off
    groups: int
    definitions: Definitions


class Finding(TypedDict):
    #: the condition, for ``filter`` of lists and exports
    filter: str
    #: such as ``missing``, ``unused``, ``same_name`` or ``look_alike_id``
    kind: str
    #: ``properties`` or ``mapping``; None for the group as a whole
    member: Optional[str]
    name: Optional[str]
    message: str
    #: how many groups had it at ``checked_at``
    count: int
    #: the name that this one resembles
    like: Optional[str]


class ProblemDay(TypedDict):
    day: str
    groups: int


class Findings(TypedDict):
    success: int
    #: None before the first time
    checked_at: Optional[str]
    #: false until all groups have been checked against the current definitions
    is_current: bool
    groups: int
    #: of the definitions that the groups were checked against
    definitions_version: int
    #: the most frequent first
    findings: List[Finding]
    #: how many groups the definitions found anything in, a figure a day
    days: List[ProblemDay]


class _TokenOwner(TypedDict):
    success: int
    #: ``current``, ``previous``, ``id``, ``rotated``, ``deleted``, ``api_token``, ``unknown``, ``mistyped`` or
    #: ``not_a_token``
    found: str


class TokenOwner(_TokenOwner, total=False):
    user_group: JsonObject
    valid_until: str
    at: str
    by: JsonObject
    name: str
    state: str
    environment: JsonObject


class PreviousToken(TypedDict):
    valid_until: str
    last_used_at: Optional[str]


class ListedGroup(_Identified):
    mapping: JsonObject
    properties: Optional[JsonObject]
    #: ``active``, ``suspended`` or ``ended``
    state: str
    access_ends_at: Optional[str]
    api_environment_tag: str
    created_at: str
    updated_at: str
    rotated_at: str
    token_last_used_at: Optional[str]
    #: of the current token
    token_first_used_at: Optional[str]
    #: the token before the current one, while their overlap is running
    previous_token: Optional[PreviousToken]
    etag: str


class GroupList(TypedDict):
    success: int
    user_groups: List[ListedGroup]
    next_cursor: Optional[str]
    previous_cursor: Optional[str]
    total: int
    total_is_exact: bool


class SummarizedValue(TypedDict):
    value: Union[str, float, bool, None]
    groups: int


class SummarizedProperty(TypedDict):
    name: str
    groups: int
    values: List[SummarizedValue]


class Summary(TypedDict):
    success: int
    total: int
    #: by ``in_use``, ``idle``, ``never_used``, ``suspended`` and ``ended``; each group counts once
    states: Dict[str, int]
    #: false when ``total`` and ``states`` are estimates
    counts_are_exact: bool
    #: of the sampled groups, the most frequent first
    properties: List[SummarizedProperty]
    sampled: int


class Actor(TypedDict):
    type: str
    id: Optional[str]
    name: str


class HistoryEntry(TypedDict):
    id: str
    at: str
    action: str
    actor: Actor
    request_id: Optional[str]
    team_id: Optional[int]
    user_group: Optional[JsonObject]
    environment: Optional[str]
    before: Optional[JsonObject]
    after: Optional[JsonObject]
    token_changed: bool


class HistoryHour(TypedDict):
    at: str
    entries: int


class HistoryCounts(TypedDict):
    success: int
    since: Optional[str]
    hours: List[HistoryHour]


class History(TypedDict):
    success: int
    entries: List[HistoryEntry]
    next_cursor: Optional[str]


class _EventData(TypedDict):
    team_id: Optional[int]
    provided_id: Optional[str]
    name: Optional[str]
    #: what differs between before and after, such as ``properties`` or ``token``
    changed: List[str]


class EventData(_EventData, total=False):
    #: only with ``include="states"``
    before: Optional[JsonObject]
    after: Optional[JsonObject]


class FeedEvent(TypedDict):
    id: str
    type: str
    at: str
    actor: Actor
    request_id: Optional[str]
    data: EventData


class Events(TypedDict):
    success: int
    events: List[FeedEvent]
    next_cursor: str
    #: whether there are no more events now
    caught_up: bool


class UsedDay(TypedDict):
    day: str
    checks: int


#: Answers with the member ``from``, which no class can declare.
Usage = TypedDict("Usage", {"success": int, "from": str, "to": str, "checks": int, "days": List[UsedDay]})


class UsedGroup(_Identified):
    checks: int
    #: of each day
    days: List[int]
    #: distinct viewers of each month
    active_viewers: List[int]


GroupUsage = TypedDict(
    "GroupUsage",
    {"success": int, "from": str, "to": str, "user_groups": List[UsedGroup], "next_cursor": Optional[str]},
)


class DeletedGroup(_Identified):
    state: str
    access_ends_at: Optional[str]
    api_environment_tag: str
    created_at: str
    deleted_at: str
    deleted_by: Optional[Actor]
    kept_until: str
    is_id_taken: bool


class DeletedList(TypedDict):
    success: int
    user_groups: List[DeletedGroup]
    next_cursor: Optional[str]


class _BatchError(TypedDict):
    code: str
    message: str


class BatchError(_BatchError, total=False):
    issues: List[FieldIssue]


class _BatchResult(TypedDict):
    user_group_id: Optional[str]
    #: ``created``, ``changed``, ``same``, ``deleted`` or ``error``
    outcome: str


class BatchResult(_BatchResult, total=False):
    team_id: int
    etag: str
    error: BatchError
    #: of a dry run: what the definitions report of a group that is created or changed
    warnings: List[FieldIssue]


class BatchAnswer(TypedDict):
    success: int
    results: List[BatchResult]


class Job(TypedDict):
    id: int
    #: ``import``, ``change`` or ``undo``
    kind: str
    name: str
    #: the number of the job that it undoes
    undoes: Optional[int]
    mode: str
    max_deletions: Union[int, str, None]
    #: ``receiving``, ``checking``, ``checked``, ``applying``, ``done``, ``cancelled`` or ``failed``
    state: str
    problem: Optional[str]
    by: str
    created_at: str
    ended_at: Optional[str]
    read: float
    planned: Dict[str, int]
    done: Dict[str, int]
    #: the planned rows that were not done
    left: int
    #: whether ``apply`` begins it, or continues one that was cancelled or failed
    can_apply: bool
    can_undo: bool


class JobAnswer(TypedDict):
    success: int
    job: Job


class JobList(TypedDict):
    success: int
    jobs: List[Job]


class _JobRow(TypedDict):
    line: Optional[int]
    outcome: str
    provided_id: Optional[str]
    team_id: Optional[int]
    before: Optional[JsonObject]
    after: Optional[JsonObject]
    #: why it is an error, or was skipped
    issues: List[FieldIssue]


class JobRow(_JobRow, total=False):
    #: what the definitions report of a group that is created or changed
    warnings: List[FieldIssue]


class JobRows(TypedDict):
    success: int
    rows: List[JobRow]
    next: Optional[int]


class WebhookHealth(TypedDict):
    #: states of the last 100 deliveries, oldest first
    recent: List[str]
    #: deliveries that wait for an attempt
    waiting: int
    last_delivered_at: Optional[str]
    #: since when every attempt failed; None if the last worked
    failing_since: Optional[str]
    next_attempt_at: Optional[str]
    #: time of the last event that was sent or waits for an attempt
    read_until: Optional[str]


class Webhook(TypedDict):
    id: int
    url: str
    description: str
    #: None for all
    types: Optional[List[str]]
    enabled: bool
    disabled_at: Optional[str]
    #: ``gone``, ``failing`` or ``asked``
    disabled_reason: Optional[str]
    #: who created it: ``type``, ``id`` and ``name``; None if unknown
    made_by: Optional[Dict[str, Any]]
    #: until when two signatures are sent
    previous_secret_valid_until: Optional[str]
    health: WebhookHealth
    created_at: str
    updated_at: str


class WebhookList(TypedDict):
    success: int
    webhooks: List[Webhook]


class WebhookAnswer(TypedDict):
    success: int
    webhook: Webhook


class WebhookSecret(WebhookAnswer):
    #: shown only once
    secret: str


class DeliveryAttempt(TypedDict):
    at: str
    #: HTTP status; None without an answer
    status: Optional[int]
    duration_ms: int
    #: ``dns``, ``address_refused``, ``connect``, ``tls``, ``timeout``, ``reset``, ``redirect``, ``status`` or
    #: ``too_large``
    error: Optional[str]


class Delivery(TypedDict):
    id: str
    webhook_id: int
    #: the header ``webhook-id``, the same in each attempt and replay
    message_id: str
    type: str
    team_id: Optional[int]
    #: ``waiting``, ``delivered`` or ``failed``
    state: str
    created_at: str
    next_attempt_at: Optional[str]
    #: at most the last 50, oldest first
    attempts: List[DeliveryAttempt]
    #: as it was sent
    body: str


class DeliveryAnswer(TypedDict):
    success: int
    delivery: Delivery


class DeliveryList(TypedDict):
    success: int
    deliveries: List[Delivery]
    next_cursor: Optional[str]


class Replay(TypedDict):
    success: int
    #: how many deliveries are sent again; None with ``since``
    deliveries: Optional[int]
