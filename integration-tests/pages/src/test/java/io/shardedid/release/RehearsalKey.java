package io.shardedid.release;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Date;

import org.bouncycastle.bcpg.ArmoredOutputStream;
import org.bouncycastle.bcpg.HashAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyPacket;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPKeyRingGenerator;
import org.bouncycastle.openpgp.PGPSignature;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentSignerBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPDigestCalculatorProvider;
import org.bouncycastle.openpgp.operator.jcajce.JcaPGPKeyPair;

/**
 * Makes the key that signs a rehearsal: a new one for each build, without a password.
 * Maven runs this file by its source, before it compiles anything.
 */
final class RehearsalKey {

    private RehearsalKey() {
    }

    /**
     * Writes the two halves of a new key.
     * @param files where the secret key goes, and where the public key goes
     * @throws IOException if a file cannot be written
     * @throws GeneralSecurityException if the JDK cannot make an RSA key
     * @throws PGPException if the key cannot sign itself
     */
    public static void main(String... files) throws IOException, GeneralSecurityException, PGPException {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("RSA");
        keys.initialize(3072);
        PGPKeyRingGenerator ring = new PGPKeyRingGenerator(PGPSignature.POSITIVE_CERTIFICATION,
                new JcaPGPKeyPair(PublicKeyPacket.VERSION_4, PublicKeyAlgorithmTags.RSA_GENERAL, keys.generateKeyPair(),
                        new Date()),
                "Rehearsal of a release of ShardedId (not for publication)",
                new BcPGPDigestCalculatorProvider().get(HashAlgorithmTags.SHA1), null, null,
                new BcPGPContentSignerBuilder(PublicKeyAlgorithmTags.RSA_GENERAL, HashAlgorithmTags.SHA512), null);
        write(Path.of(files[0]), ring.generateSecretKeyRing().getEncoded());
        write(Path.of(files[1]), ring.generatePublicKeyRing().getEncoded());
    }

    private static void write(Path file, byte[] key) throws IOException {
        Files.createDirectories(file.getParent());
        try (OutputStream out = new ArmoredOutputStream(Files.newOutputStream(file))) {
            out.write(key);
        }
    }

}
