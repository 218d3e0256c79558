-- why: invoices are numbered without gaps per property and kept byte for byte (EVT-44, EVT-45).

-- The last number of a property's invoices. Its row is locked until the invoice commits: no gap, no double.
create table billing.invoice_series (
  tenant_id   uuid not null,
  property_id uuid not null,
  prefix      text not null default 'INV',
  last        integer not null default 0,
  constraint invoice_series_pk primary key (tenant_id, property_id),
  constraint invoice_series_prefix check (prefix ~ '^[A-Z][A-Z0-9]{0,9}$'),
  constraint invoice_series_last check (last >= 0)
);
select app.protect('billing.invoice_series');

create table billing.invoices (
  tenant_id      uuid not null,
  id             uuid not null,
  folio_id       uuid not null,
  split          smallint not null,
  property_id    uuid not null,
  reservation_id uuid not null,
  number         text not null,
  sequence       integer not null,
  issued_on      date not null,
  currency       text not null,
  net            bigint not null,
  tax            bigint not null,
  taxes          jsonb not null,
  issued_by      text not null,
  issued_at      timestamptz not null,
  constraint invoices_pk primary key (tenant_id, id),
  constraint invoices_sequence unique (tenant_id, property_id, sequence),
  constraint invoices_number unique (tenant_id, property_id, number),
  constraint invoices_price check (net >= 0 and tax >= 0)
);
create index invoices_by_folio on billing.invoices (tenant_id, folio_id);
select app.protect('billing.invoices');
select app.append_only('billing.invoices');

create table billing.invoice_lines (
  tenant_id  uuid not null,
  invoice_id uuid not null,
  line_id    uuid not null,
  constraint invoice_lines_pk primary key (tenant_id, invoice_id, line_id)
);
create index invoice_lines_by_line on billing.invoice_lines (tenant_id, line_id);
select app.protect('billing.invoice_lines');
select app.append_only('billing.invoice_lines');

-- The document as it was handed out, byte for byte.
create table billing.invoice_documents (
  tenant_id  uuid not null,
  id         uuid not null,
  invoice_id uuid not null,
  locale     text not null,
  html       text not null,
  sha256     text not null,
  constraint invoice_documents_pk primary key (tenant_id, id),
  constraint invoice_documents_one_per_invoice unique (tenant_id, invoice_id),
  constraint invoice_documents_locale check (locale in ('en', 'ps', 'fa-AF')),
  constraint invoice_documents_sha256 check (sha256 ~ '^[0-9a-f]{64}$')
);
select app.protect('billing.invoice_documents');
select app.append_only('billing.invoice_documents');

create table billing.invoice_voids (
  tenant_id   uuid not null,
  invoice_id  uuid not null,
  reason      text not null,
  replaced_by uuid,
  voided_by   text not null,
  voided_at   timestamptz not null,
  constraint invoice_voids_pk primary key (tenant_id, invoice_id),
  constraint invoice_voids_reason check (reason in ('wrong_amount', 'wrong_recipient', 'duplicate',
    'booking_cancelled'))
);
select app.protect('billing.invoice_voids');
select app.append_only('billing.invoice_voids');
