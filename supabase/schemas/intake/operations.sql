-- An item sent to the hook address becomes a story in triage, once per external id, even if senders repeat it at once.
-- Refusals: 404 for an invalid key, 403 for an archived product, 422, 429. Service only. Definer: there is no user.
create function operations.receive_item(
  p_key_hash text, p_title text, p_text text default null, p_url text default null, p_external_id text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hook public.intake_hooks;
  v_answer json;
begin
  select h.* into v_hook from public.intake_hooks h where h.key_hash = decode(p_key_hash, 'hex');
  if not found then
    perform private.refuse(404, 'This address is not in use. It was replaced or revoked. Copy the current one from the product settings.');
  end if;
  perform private.take_rate_limit('hook', v_hook.id::text);
  -- It would be in the place of the issue, which a worker brings.
  if private.is_own_address(v_hook.product_id, p_external_id)
    and exists (select from public.products p where p.id = v_hook.product_id and p.forge_issue_label <> '') then
    perform private.refuse(422, 'external_id is an address in this product''s repository, whose issues come by their label. Choose another one.');
  end if;
  v_answer := private.known_item(v_hook.product_id, p_external_id);
  if v_answer is not null then
    return v_answer;
  end if;

  perform private.lock_product(v_hook.product_id);
  if exists (select from public.products p where p.id = v_hook.product_id and p.archived_at is not null) then
    perform private.refuse(403, 'This product is archived. Restore it to receive items.');
  end if;
  -- Statements of their own: each sees what others committed while the lock was awaited.
  if not exists (select from public.intake_hooks h where h.id = v_hook.id) then
    perform private.refuse(404, 'This address is not in use. It was replaced or revoked. Copy the current one from the product settings.');
  end if;
  v_answer := private.known_item(v_hook.product_id, p_external_id);
  if v_answer is not null then
    return v_answer;
  end if;
  perform private.take_rate_limit('hook_item', v_hook.id::text);
  update public.intake_hooks h set last_item_at = private.now() where h.id = v_hook.id;
  return private.bring_item(v_hook.product_id, 'hook', p_title, p_text, p_url, p_external_id);
end;
$$;
grant execute on function operations.receive_item to service_role;

-- Refusals: 404, 403, 404 without a hook. Definer: hooks are written by functions only.
create function operations.revoke_intake_hook(p_product_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  delete from public.intake_hooks h where h.product_id = p_product_id;
  if not found then
    perform private.refuse(404, 'This product has no incoming webhook. Create a URL in its settings first.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.revoked', jsonb_build_object('product_id', p_product_id));
  return json_build_object('product_id', p_product_id);
end;
$$;
grant execute on function operations.revoke_intake_hook to authenticated;

-- Creates or replaces the address; the previous key ends at once. The app generates the key; only its SHA-256 is
-- stored. Refusals: 404, 403 (not the owner, demo, archived), 422, 429. Definer: hooks are written by functions only.
create function operations.set_intake_hook(p_product_id uuid, p_id uuid, p_key_hash text)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_key_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'key_hash is the SHA-256 of the key, in hexadecimal.');
  end if;
  delete from public.intake_hooks h where h.product_id = p_product_id;
  insert into public.intake_hooks (id, product_id, key_hash, created_by)
  values (p_id, p_product_id, decode(p_key_hash, 'hex'), auth.uid());
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.set', jsonb_build_object('product_id', p_product_id));
  return json_build_object('id', p_id);
end;
$$;
grant execute on function operations.set_intake_hook to authenticated;

-- An agent names what another repository needs. It waits in triage of the caller's product with that repository,
-- otherwise in the job's; a job says the same once, and at most five things of a product.
-- Refusals: 404, 403, 409 for a sixth, 422, 429. Definer: a story's external_id is written by functions only (docs/worker.md).
create function operations.propose_follow_up(p_job_id uuid, p_repository text, p_title text, p_why text default '')
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_id uuid := gen_random_uuid();
  v_title text := btrim(regexp_replace(p_title, '\s+', ' ', 'g'));
  v_mark text := format('follow-up:%s:', p_job_id);
  v_named text;
  v_product_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.require_product_access(v_job.product_id);
  perform private.require_product_write(v_job.product_id);
  select private.repository_name(coalesce((
    select r ->> 'url' from jsonb_array_elements(p."references") r where r ->> 'name' = p_repository), p_repository))
  into v_named from public.products p where p.id = v_job.product_id;
  select p.id into v_product_id from public.products p
  where p.id in (select private.writable_product_ids()) and p.repo_url <> '' and private.repository_name(p.repo_url) = v_named
  order by p.id = v_job.product_id desc, p.created_at limit 1;
  v_product_id := coalesce(v_product_id, v_job.product_id);

  perform private.lock_product(v_product_id);
  if (select count(*) >= 5 from public.stories s where s.product_id = v_product_id and starts_with(s.external_id, v_mark) and s.external_id <> v_mark || md5(v_title)) then
    perform private.refuse(409, 'This job has proposed five follow-ups there, which is the limit. Go on without another one.');
  end if;
  insert into public.stories (id, pbi_id, title, description, in_triage, external_id)
  values (v_id, private.intake_pbi(v_product_id), v_title,
    concat_ws(E'\n\n', nullif(p_why, ''), format('For `%s`. Proposed by an agent while it worked on something else.', replace(p_repository, '`', ''))),
    true, v_mark || md5(v_title))
  on conflict (product_id, external_id) where external_id is not null do nothing;
  return (
    select json_build_object('story_id', s.id, 'code', s.code, 'product_id', s.product_id, 'is_new', s.id = v_id)
    from public.stories s where s.product_id = v_product_id and s.external_id = v_mark || md5(v_title));
end;
$$;
grant execute on function operations.propose_follow_up to authenticated;
comment on function operations.propose_follow_up is 'scope work';
