"""What a client checks before it writes a byte, in order, and the attacks that each check stops.

`python tests/attacks.py --mutate` removes each of them in turn: all its attacks must then get
another answer than their marks say.
"""

from dataclasses import dataclass

from support.removed_checks import Removal


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check, the step of the installation that makes it, and the attacks that it stops.

    The steps are those of site/docs/guide/security-matrix.md; attacks are tests, as `file::function`.
    Where another check would notice the same later, both are among the `removals`.
    """

    id: str
    step: int
    removals: tuple[Removal, ...]
    attacks: tuple[str, ...]


def check(step, name, where, *attacks, then=()):
    """Return a check at one place: `(function, fragment)`, or `(function, "", returned)`."""
    removals = tuple(Removal(*place) for place in (where, *then))
    return Check(id=name, step=step, removals=removals, attacks=attacks)


CLIENT, TRUST, OWNERS = "psreg.client", "psreg.registry.trust", "psreg.registry.owners"
TUF = "tuf.ngclient._internal.trusted_metadata_set:TrustedMetadataSet"

CHECKS = (
    # 1. What the user wrote, before any request
    check(
        1,
        "name-grammar",
        (f"{CLIENT}.resolve:parse_request", "BAD_NAME"),
        "hostile_names::a_name_that_is_none_asks_nothing",
    ),
    check(
        1,
        "version-grammar",
        (f"{CLIENT}.resolve:parse_request", "BAD_RANGE"),
        "hostile_names::a_version_that_is_none_asks_nothing",
    ),
    # 2. Whose registry it is
    check(
        2,
        "pin",
        (f"{CLIENT}.registry_choice:check_pin", "TRUST_PIN"),
        "false_registry::another_root_than_the_pinned_one_is_refused",
        "false_registry::another_registry_at_a_pinned_address_is_refused",
    ),
    check(
        2,
        "bound-names",
        (f"{CLIENT}.selection.choosing:Choosing.check", "NAME_OF_TWO_REGISTRIES"),
        "dependency_confusion::a_clone_names_the_registry_of_the_impostor",
        then=[(f"{CLIENT}.selection.choosing:Choosing.bound", "two_registries")],
    ),
    check(
        2,
        "one-registry",
        (f"{CLIENT}.selection.choosing:Choosing._only", "two_registries"),
        "dependency_confusion::an_impostor_of_a_name_that_is_not_bound",
    ),
    check(
        2,
        "known-id",
        (f"{CLIENT}.trust_store:TrustStore.add", "TRUST_PIN"),
        "false_registry::a_folder_that_claims_a_known_id_is_refused",
    ),
    check(
        2,
        "first-root-signed-by-itself",
        (f"{TRUST}.metadata:_check_signatures", ""),
        "false_registry::a_root_that_is_not_signed_by_its_own_keys_is_refused",
        then=(("tuf.api._payload:_DelegatorMixin.verify_delegate", "UnsignedMetadataError"),),
    ),
    check(
        2,
        "same-id-in-every-root",
        (f"{TRUST}.roles:check_binding", "now claims the id"),
        "false_registry::a_root_that_changes_the_id_is_refused",
    ),
    # 3. What is fetched
    check(
        3,
        "no-other-origin",
        ("psreg.http.registry_source_http:HttpSource._moved", "NETWORK_REFUSED"),
        "redirected_elsewhere::another_origin_is_never_asked",
    ),
    check(
        3,
        "nothing-compressed",
        ("psreg.http.registry_source_http:_content", "is sent compressed"),
        "endless_data::a_compression_bomb_is_refused_unread",
    ),
    check(
        3,
        "length-of-a-record",
        (f"{CLIENT}.tufclient:TufClient._download", "the limit is"),
        "endless_data::a_record_signed_to_be_huge_is_not_fetched",
    ),
    check(
        3,
        "deadline",
        ("psreg.http.deadline:Deadline.patience", "", 30),
        "slow_retrieval::many_quick_answers_cannot_outlast_the_run",
    ),
    check(
        3,
        "least-rate",
        ("psreg.http.deadline:Deadline.count", "SlowError"),
        "slow_retrieval::an_answer_slower_than_the_least_rate_is_given_up_before_its_deadline",
    ),
    # 4. The metadata of The Update Framework
    check(
        4,
        "strict-json",
        (f"{TRUST}.strict_json:_object", "the same key twice"),
        "ambiguous_json::ambiguous_metadata_never_reaches_the_verifier[duplicate]",
        "ambiguous_json::an_ambiguous_record_is_refused_though_it_is_signed",
    ),
    check(
        4,
        "depth",
        (f"{TRUST}.strict_json:_measure", "_TOO_DEEP"),
        "ambiguous_json::ambiguous_metadata_never_reaches_the_verifier[depth]",
    ),
    check(
        4,
        "role-named",
        (f"{TRUST}.roles:check_binding", "TRUST_ROLE"),
        "swapped_metadata::an_empty_bin_does_not_hide_a_name",
        "swapped_metadata::a_file_of_another_registry_with_the_same_keys_is_refused",
    ),
    check(
        4,
        "role-named-from-now-on",
        (f"{CLIENT}.tufclient:Fetcher._check_role", "self.bound |="),
        "swapped_metadata::one_file_without_its_role_is_refused_at_first_sight",
    ),
    check(
        4,
        "one-id-for-a-key",
        (f"{TRUST}.roles:check_keys", "TRUST_KEY_TWICE"),
        "one_key_twice::a_delegation_with_one_key_twice_is_refused",
        "one_key_twice::a_later_root_with_one_key_twice_is_refused",
    ),
    check(
        4,
        "signatures",
        ("tuf.api._payload:_DelegatorMixin.verify_delegate", "UnsignedMetadataError"),
        "wrong_key::another_roles_key_is_refused",
        "wrong_key::a_bin_signed_by_the_root_key_is_refused",
        "wrong_key::a_next_root_signed_by_a_thief_is_refused",
        "wrong_key::unsigned_metadata_is_refused",
        "wrong_key::a_changed_signature_is_refused",
    ),
    check(
        4,
        "expiry",
        ("tuf.api._payload:Signed.is_expired", "", False),
        "freeze::expired_metadata_is_refused_with_its_name_and_date",
        "freeze::what_was_fresh_yesterday_is_refused_today",
    ),
    check(
        4,
        "root-version",
        (f"{TUF}.update_root", "BadVersionNumberError"),
        "rollback::an_old_root_in_place_of_the_next_is_refused",
    ),
    check(
        4,
        "versions-never-go-back",
        (f"{TUF}.update_timestamp", "BadVersionNumberError"),
        "rollback::an_old_timestamp_is_refused",
        "rollback::a_new_timestamp_naming_an_old_snapshot_is_refused",
        "rollback::a_snapshot_that_lists_an_older_bin_is_refused",
        "rollback::a_mirror_that_is_behind_is_recognised_as_the_same_registry",
        then=(
            (f"{TUF}.update_snapshot", "BadVersionNumberError"),
            (f"{TUF}._check_final_snapshot", "BadVersionNumberError"),
            (f"{CLIENT}.resolve:check_record", "TRUST_ROLLBACK"),
        ),
    ),
    check(
        4,
        "roles-in-the-snapshot",
        (f"{TUF}.update_snapshot", "missing info"),
        "rollback::a_snapshot_that_drops_a_bin_is_refused",
    ),
    check(
        4,
        "version-of-the-snapshot",
        (f"{TUF}._check_final_snapshot", "BadVersionNumberError"),
        "mix_and_match::a_file_of_an_older_state_is_refused[2.snapshot-1.snapshot]",
    ),
    check(
        4,
        "versions-of-targets",
        (f"{TUF}.update_delegated_targets", "BadVersionNumberError"),
        "mix_and_match::a_file_of_an_older_state_is_refused[2.r-ec-1.r-ec]",
        "mix_and_match::a_file_of_an_older_state_is_refused[2.targets-1.targets]",
    ),
    check(
        4,
        "hashes-of-metadata",
        ("tuf.api._payload:MetaFile.verify_length_and_hashes", ""),
        "mix_and_match::a_file_that_is_not_the_one_hashed_is_refused",
    ),
    check(
        4,
        "remembered-by-this-user",
        (f"{CLIENT}.verified.facts:Facts.from_bytes", "return None"),
        "planted_facts::facts_without_the_key_are_not_believed",
    ),
    check(
        4,
        "remembered-state-is-shown",
        (f"{CLIENT}.verified.targets:VerifiedTargets._shows", "", True),
        "planted_facts::an_old_state_that_was_true_is_not_the_one_that_is_shown",
    ),
    # 5. The record of a name
    check(
        5,
        "digest-of-a-record",
        (f"{CLIENT}.tufclient:TufClient._download", "raise wrong_bytes(info.path)"),
        "arbitrary_bytes::another_record_is_refused",
    ),
    check(
        5,
        "name-in-the-record",
        ("psreg.registry.records:read_record", "it is the record of"),
        "hostile_records::a_record_of_another_name_is_refused",
    ),
    check(
        5,
        "digests-in-the-record",
        ("psreg.registry.json_members:Members.digest", "raise "),
        "hostile_records::a_digest_that_is_none_is_refused_and_not_kept",
        "hostile_records::a_file_with_a_digest_that_is_none_is_refused",
    ),
    check(
        5,
        "path-follows-from-name",
        (f"{CLIENT}.resolve:release_id", "claims the path"),
        "hostile_records::a_path_is_never_taken_from_a_record",
    ),
    check(
        5,
        "record-only-grows",
        (f"{CLIENT}.resolve:check_record", "TRUST_ROLLBACK"),
        "hostile_records::a_record_that_forgets_a_release_is_refused",
        "hostile_records::a_release_that_nobody_can_read_any_more",
        "fast_forward::new_keys_end_what_psreg_counts[record]",
    ),
    check(
        5,
        "catalogue-never-older",
        (f"{CLIENT}.seen.catalogue:SeenCatalogue._judge_head", "TRUST_ROLLBACK"),
        "fast_forward::new_keys_end_what_psreg_counts[catalogue]",
    ),
    check(
        5,
        "counts-of-present-keys",
        (f"{CLIENT}.kept:keys_replaced", "", True),
        "fast_forward::new_keys_of_the_root_do_not",
    ),
    check(
        5,
        "release-never-changes",
        (f"{CLIENT}.resolve:check_record", "TRUST_REWRITTEN"),
        "hostile_records::a_published_version_with_other_bytes_is_refused",
    ),
    check(
        5,
        "name-never-vanishes",
        (f"{CLIENT}.seen.catalogue:SeenCatalogue._check_vanished", "missing_name"),
        "swapped_metadata::a_name_does_not_vanish_from_the_search",
        "swapped_metadata::the_whole_catalogue_does_not_vanish",
    ),
    check(
        5,
        "installed-name-never-vanishes",
        (f"{CLIENT}.open_registry:OpenRegistry.record", "missing_name"),
        "swapped_metadata::a_name_that_was_installed_does_not_vanish",
    ),
    # 6. The version
    check(
        6,
        "yanked",
        (f"{CLIENT}.resolve:pick", "candidates = ["),
        "hostile_records::a_yanked_version_is_installed_only_if_it_is_named",
    ),
    check(
        6,
        "revoked",
        (f"{CLIENT}.resolve:pick", "raise refusal"),
        "hidden_revocations::a_newcomer_does_not_install_it",
        "purged_releases::other_bytes_are_served_while_the_record_says_purged",
    ),
    check(
        6,
        "revoked-for-good",
        (f"{CLIENT}.withdrawals:SeenWithdrawals._after", "raise _hidden"),
        "hidden_revocations::the_record_is_silent",
        "hidden_revocations::a_lift_is_forged_with_all_keys_that_publish",
        "hidden_revocations::a_lift_of_something_else_is_replayed",
        "purged_releases::its_bytes_are_served_again",
    ),
    # 7. The log
    check(
        7,
        "checkpoint-listed",
        (f"{CLIENT}.seen.log:SeenLog.checkpoint", "hides the checkpoint"),
        "false_history::the_checkpoint_is_hidden",
    ),
    check(
        7,
        "checkpoint-signed",
        ("psreg.registry.log.checkpoint:verified", "is not signed by it"),
        "false_history::another_key_signs_the_log",
        "false_history::the_registry_vouches_for_a_checkpoint[by another key]",
    ),
    check(
        7,
        "enough-witnesses",
        ("psreg.registry.log.checkpoint:Witnesses.check", "TRUST_WITNESS"),
        "unwitnessed_log::too_few_have_seen_it",
        "unwitnessed_log::they_have_seen_another_state",
        "unwitnessed_log::what_nobody_saw_is_not_verified_later",
    ),
    check(
        7,
        "release-in-the-log",
        (f"{CLIENT}.seen.log:SeenLog.check", "does not have"),
        "false_history::a_release_is_not_in_the_log",
    ),
    check(
        7,
        "inclusion",
        ("psreg.registry.log.growth:check_logged", "check_inclusion"),
        "false_history::a_release_names_a_place_in_the_log[with a proof of another entry]",
        "false_history::the_bytes_of_a_release_are_not_those_in_the_log",
    ),
    check(
        7,
        "log-only-grows",
        ("psreg.registry.log.growth:check_continues", "check_consistency"),
        "false_history::the_log_is_forked",
        "false_history::the_log_is_forked_at_the_size_that_was_seen",
        "false_history::the_log_is_rewound",
        "false_history::a_release_is_in_a_log_of_its_own",
    ),
    check(
        7,
        "log-keys-stay",
        (f"{CLIENT}.open_registry:OpenRegistry._log", "drops a key"),
        "false_history::a_new_root_drops_the_log_and_names_it",
        "false_history::a_new_root_replaces_the_key_of_the_log_and_its_history",
    ),
    # 8. The owners
    check(
        8,
        "claim-of-this-name",
        (f"{OWNERS}.claim:read_claim", "it is about"),
        "forged_releases::a_claim_that_means_nothing[new client-of another name]",
    ),
    check(
        8,
        "released-before-the-claim",
        (f"{OWNERS}.claim:Claim.check", "is dated before"),
        "forged_releases::an_older_release_has_other_bytes",
    ),
    check(
        8,
        "statement-in-the-log",
        (f"{OWNERS}.claim:Claim.check", "signed something else"),
        "forged_releases::the_record_shows_another_statement_than_the_log",
    ),
    check(
        8,
        "artifact-in-the-statement",
        (f"{OWNERS}.claim:Claim.check", "signed another artifact"),
        "forged_releases::other_bytes_than_were_signed",
        "forged_releases::the_artifact_is_none_of_the_signed_files",
    ),
    check(
        8,
        "payload-of-this-release",
        (f"{OWNERS}.in_toto:InTotoStatement.check", "signed something else"),
        "forged_releases::the_envelope[new client-has another type]",
        "forged_releases::the_envelope[new client-has another payload]",
    ),
    check(
        8,
        "purpose-of-a-signature",
        (f"{TRUST}.ssh_signature:SshSignature.check", "raise "),
        "forged_releases::a_signature_is_used_for_something_else",
    ),
    check(
        8,
        "enough-owners",
        (f"{OWNERS}.in_toto:InTotoStatement.check", "that it needs"),
        "forged_releases::too_few_owners_signed_it",
        "forged_releases::a_stranger_signed_it",
        "forged_releases::the_record_names_other_owners",
    ),
    check(
        8,
        "owners-follow-owners",
        (f"{CLIENT}.seen.owners:check_owners", "raise _changed"),
        "changed_owners::another_owner",
        "changed_owners::a_lower_threshold",
        "changed_owners::a_forged_chain",
        "changed_owners::the_chain_of_another_name",
        "changed_owners::too_few_owners_signed_it",
    ),
    check(
        8,
        "claims-follow-owners",
        (f"{CLIENT}.open_registry:OpenRegistry._check_claim", ""),
        "changed_owners::the_offline_role_gives_a_claimed_name_away",
        "changed_owners::the_first_claim_gives_a_name_away",
    ),
    check(
        8,
        "recoveries-are-announced",
        (f"{CLIENT}.open_registry:OpenRegistry._check_recovered", ""),
        "recovered_names::others_get_it_than_was_announced",
        "recovered_names::something_else_is_told_than_was_announced",
        "recovered_names::it_was_never_logged",
        "recovered_names::the_recovery_of_another_name",
        "recovered_names::the_recovery_of_something_else",
        "recovered_names::a_recovery_is_replayed",
    ),
    check(
        8,
        "recoveries-are-in-the-log",
        (f"{CLIENT}.open_registry:OpenRegistry._check_recovered", "check_entry"),
        "recovered_names::its_proof_is_none",
    ),
    check(
        8,
        "recoveries-wait",
        (f"{OWNERS}.recoveries:check_recovered", "and not before"),
        "recovered_names::it_is_completed_before_a_week_has_passed",
        "recovered_names::it_is_completed_before_the_day_that_was_announced",
        "recovered_names::it_is_dated_earlier_than_it_was_logged",
        "recovered_names::the_week_passes",
    ),
    check(
        8,
        "recoveries-come-after-what-was-seen",
        (f"{CLIENT}.seen.log:SeenLog.last_without", "", None),
        "recovered_names::the_log_did_not_have_it_this_week",
        "recovered_names::the_log_did_not_change_for_long",
    ),
    check(
        8,
        "recoveries-come-after-releases-before-them",
        (f"{OWNERS}.recoveries:due", "row.date"),
        "recovered_names::the_log_has_it_after_a_release_of_this_week",
    ),
    check(
        8,
        "owners-object-to-recoveries",
        (f"{OWNERS}.recoveries:check_recovered", "objected to"),
        "recovered_names::it_is_completed_although_an_owner_objected",
        "recovered_names::an_objection_was_seen_and_is_hidden",
    ),
    check(
        8,
        "only-claims-recover",
        (f"{OWNERS}.ownership:check_succession", "without_void"),
        "recovered_names::the_publishing_keys_cannot_recover_a_name_that_is_not_claimed",
    ),
    check(
        8,
        "void-keys-sign-no-change",
        (f"{CLIENT}.seen.owners:_void", "", ()),
        "changed_owners::a_revoked_key_signed_it",
        "changed_owners::a_key_that_was_seen_revoked_signed_it",
    ),
    check(
        8,
        "void-keys-sign-nothing-later",
        ("psreg.registry.records:PackageRecord.valid_keys", "each.key"),
        "revoked_keys::it_signs_a_later_release",
        "revoked_keys::it_counts_for_no_threshold",
        "revoked_keys::the_revocation_was_seen_and_is_hidden",
    ),
    check(
        8,
        "void-keys-stay-void",
        (f"{CLIENT}.open_registry:OpenRegistry._check_release", "with_void_keys"),
        "revoked_keys::the_revocation_was_seen_and_is_hidden",
    ),
    check(
        8,
        "owners-sign-yanks",
        (f"{OWNERS}.yank:check_yank", ""),
        "forged_yanks::the_publishing_keys_yank_a_release",
        "forged_yanks::a_forged_yank",
        "forged_yanks::the_publishing_keys_take_a_yank_back",
    ),
    check(
        8,
        "yanks-stay",
        (f"{CLIENT}.resolve:check_yanks", "TRUST_ROLLBACK"),
        "forged_yanks::the_yank_vanishes",
        "forged_yanks::an_earlier_state_is_replayed",
        "forged_yanks::a_yank_that_no_owner_signed_counts_for_nothing",
    ),
    check(
        8,
        "claims-stay",
        (f"{CLIENT}.seen.owners:check_unclaimed", "raise _changed"),
        "changed_owners::a_claimed_name_is_not_claimed_any_more",
    ),
    check(
        8,
        "only-claimed-names",
        (f"{CLIENT}.open_registry:OpenRegistry._check_release", "raise unclaimed"),
        "changed_owners::a_name_that_is_not_claimed_is_refused_on_demand",
    ),
    # 9. The artifact
    check(
        9,
        "size",
        (f"{CLIENT}.install:fetch", "TOO_LARGE"),
        "hostile_records::a_size_no_prompt_has_is_not_fetched",
    ),
    check(
        9,
        "digest",
        (f"{CLIENT}.install:fetch", "TRUST_DIGEST"),
        "arbitrary_bytes::another_artifact_is_refused_and_nothing_written",
        "html_for_404::a_page_for_an_artifact_is_refused",
    ),
    check(
        9,
        "content",
        (f"{CLIENT}.content_check:check_content", "TRUST_CONTENT"),
        "hostile_content::it_is_refused_and_the_rule_is_named",
        "hostile_content::one_hostile_release_leaves_nothing_of_the_others",
    ),
    check(
        9,
        "locked-release",
        (f"{CLIENT}.project.verified:VerifiedRelease.check", "TRUST_LOCK"),
        "project_files::a_lock_that_says_something_else",
        "project_files::a_lock_gives_no_other_name_to_what_is_in_the_cache",
    ),
    # 10. What is written
    check(
        10,
        "no-link-is-followed",
        (f"{CLIENT}.library:Library._replace", "target.rename(replaced)"),
        "planted_links::a_link_in_place_of_a_folder_is_not_followed",
    ),
    check(
        10,
        "one-registry-for-a-name",
        ("psreg.cli.install:_check_source", "raise refusal"),
        "cloned_projects::a_clone_does_not_replace_what_came_from_the_pinned_registry",
    ),
)
"""In the order in which a client makes them."""
